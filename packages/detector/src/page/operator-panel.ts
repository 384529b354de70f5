import type { TimelineDocument } from '@turnwatch/protocol';
import { ApiError, postJson } from './api.ts';
import { el, setText } from './dom.ts';
import { timeOfDay } from './moment.ts';
import { forgetToken } from './token.ts';
import { orderWords, spell } from './words.ts';

interface Action {
  readonly name: string;
  readonly path: 'acknowledge' | 'mute' | 'unmute' | 'threshold' | 'close';
  readonly what: string;
  /** A number of minutes that is asked for, and what becomes of it. */
  readonly minutes?: {
    readonly label: string;
    readonly given: number;
    readonly key: 'forMs' | 'thresholdMs';
  };
  readonly danger?: boolean;
}

const acknowledge: Action = {
  name: 'Acknowledge',
  path: 'acknowledge',
  what: 'Somebody has seen it: shown until this episode is over. Nothing else changes.',
};
const mute: Action = {
  name: 'Mute',
  path: 'mute',
  what: 'Nobody is told of it meanwhile. Verdicts stand and are shown; a turn that is stale or has expired when the mute is over is told of then.',
  minutes: { label: 'For how many minutes', given: 60, key: 'forMs' },
};
const unmute: Action = {
  name: 'Unmute',
  path: 'unmute',
  what: 'It is told of again; at once, where it is stale or has expired by now.',
};
const threshold: Action = {
  name: 'Set threshold',
  path: 'threshold',
  what: 'How long it may be silent, in the place of what was learned. Tool calls keep their grace, and a verdict that stands stays.',
  minutes: { label: 'Minutes of silence', given: 10, key: 'thresholdMs' },
};
const close: Action = {
  name: 'Close',
  path: 'close',
  what: 'It is over, whatever its agent says. Its later records do not open it again.',
  danger: true,
};

const mayNot =
  'The token of this tab may look and not operate: to acknowledge, mute or close this turn or to set its threshold, use one with the scope operate or admin.';

/** Asks for a token anew, as where there is none. */
function anotherToken(): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'button' }, 'Use another token');
  button.addEventListener('click', () => {
    forgetToken();
    location.reload();
  });
  return button;
}

/** Buttons for what operators may do with a turn, each behind a question; where the token may not, why. Empty where it is over, but that one that expired while muted can be told of. */
export class OperatorPanel {
  readonly element: HTMLElement = el('div', { class: 'contents tight' });
  readonly #onDone: () => void;
  #shown = '';
  #asked: HTMLDialogElement | undefined;

  /** @param onDone an order was taken: the turn is to be read anew */
  constructor(onDone: () => void) {
    this.#onDone = onDone;
  }

  show({ turn, mayOperate }: Pick<TimelineDocument, 'turn' | 'mayOperate'>): void {
    const { muted, acknowledged, ownThresholdsMs } = turn;
    const open = turn.state !== 'ended' && turn.state !== 'expired';
    const text = JSON.stringify([turn.id, mayOperate, open, muted, acknowledged, ownThresholdsMs]);
    if (text === this.#shown) return;
    this.#shown = text;
    const actions = open
      ? [acknowledge, muted === null ? mute : unmute, threshold, close]
      : turn.state === 'expired' && muted !== null
        ? [unmute]
        : [];
    if (actions.length === 0) {
      this.element.replaceChildren();
      return;
    }
    const said = [
      acknowledged === null ? undefined : orderWords('acknowledged', acknowledged),
      muted === null
        ? undefined
        : orderWords(
            muted.until === null ? 'muted' : `muted until ${timeOfDay(Date.parse(muted.until))}`,
            muted,
          ),
      ...Object.entries(ownThresholdsMs).map(
        ([phase, ms]) => `threshold of an operator: ${spell(ms)} (${phase})`,
      ),
    ].filter((part) => part !== undefined);
    this.element.replaceChildren(
      el(
        'div',
        { class: 'actions', role: 'group', 'aria-label': 'What an operator may do' },
        // What would be refused is not offered.
        ...(mayOperate ? actions.map((action) => this.#button(turn.id, action)) : [anotherToken()]),
      ),
      ...(mayOperate ? [] : [el('p', { class: 'note' }, mayNot)]),
      el('p', { class: 'note name' }, said.join(' · ')),
    );
  }

  /** Another page is shown: a question that is still open is about a turn that is no longer seen. */
  leave(): void {
    this.#asked?.close();
  }

  #button(turn: string, action: Action): HTMLButtonElement {
    const button = el(
      'button',
      { type: 'button', class: `button ${action.danger === true ? 'danger' : ''}` },
      action.name,
    );
    button.addEventListener('click', () => this.#ask(turn, action, button));
    return button;
  }

  #ask(turn: string, action: Action, button: HTMLButtonElement): void {
    const why = el('input', { id: 'order-why', maxlength: 128, autocomplete: 'off' });
    const minutes = el('input', {
      id: 'order-minutes',
      type: 'number',
      min: 1,
      max: 10_000,
      value: action.minutes?.given,
      required: true,
    });
    const fault = el('p', { class: 'fault', role: 'alert' });
    const cancel = el('button', { type: 'button', class: 'button' }, 'Cancel');
    const form = el(
      'form',
      {},
      el('h2', { id: 'order-title' }, `${action.name}: ${turn}`),
      el('p', { class: 'soft' }, action.what),
      action.minutes === undefined
        ? null
        : el('div', { class: 'field' }, el('label', { for: 'order-minutes' }, action.minutes.label), minutes),
      el('div', { class: 'field' }, el('label', { for: 'order-why' }, 'Why (kept in the audit)'), why),
      fault,
      el(
        'div',
        { class: 'actions' },
        el(
          'button',
          { type: 'submit', class: `button ${action.danger === true ? 'danger' : 'primary'}` },
          action.name,
        ),
        cancel,
      ),
    );
    const dialog = el('dialog', { 'aria-labelledby': 'order-title' }, form);
    cancel.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (this.#asked === dialog) this.#asked = undefined;
      if (button.isConnected) button.focus();
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const body = {
        ...(why.value.trim() === '' ? {} : { why: why.value.trim() }),
        ...(action.minutes === undefined
          ? {}
          : { [action.minutes.key]: Math.round(minutes.valueAsNumber * 60_000) }),
      };
      void this.#send(turn, action, body, dialog, fault);
    });
    this.#asked = dialog;
    document.body.append(dialog);
    dialog.showModal();
  }

  async #send(
    turn: string,
    { path }: Action,
    body: unknown,
    dialog: HTMLDialogElement,
    fault: HTMLElement,
  ): Promise<void> {
    try {
      await postJson(`v1/turns/${encodeURIComponent(turn)}/${path}`, body);
      dialog.close();
      this.#onDone();
    } catch (error) {
      setText(fault, error instanceof ApiError ? error.message : 'The detector does not answer.');
    }
  }
}
