type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | null | undefined;

/** An element. Text is always text: nothing that an agent calls itself is ever read as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  set(made, attributes);
  append(made, children);
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(made, attributes);
  append(made, children);
  return made;
}

export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? '' : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

/** Touches the page only where something is different: a reader of the screen hears what changed. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== undefined) parent.append(child);
}

/** An element of index.html. */
export function byId<T extends Element>(id: string, kind: new (...given: never[]) => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}`);
  return found;
}
