type Known<Shape> = { [Name in keyof Shape]: Exclude<Shape[Name], undefined> };

/** The object without the fields whose value is not known: `undefined` is never a value of a signal. */
export function known<Shape extends object>(shape: Shape): Partial<Known<Shape>> {
  const result: Partial<Known<Shape>> = {};
  for (const name in shape) {
    const value = shape[name];
    if (value !== undefined) result[name] = value as Exclude<Shape[typeof name], undefined>;
  }
  return result;
}
