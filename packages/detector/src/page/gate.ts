import { el, setText } from './dom.ts';
import { keepToken } from './token.ts';

/** Asks for a token. It stays in this tab. */
export function gate(why: string, onToken: () => void): HTMLElement {
  const input = el('input', {
    type: 'password',
    id: 'token',
    name: 'token',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'token-why',
  });
  const fault = el('p', { class: 'fault', role: 'alert' });
  setText(fault, why);
  const form = el(
    'form',
    { class: 'gate', 'aria-labelledby': 'gate-title' },
    el('h1', { id: 'gate-title' }, 'This detector asks for a token'),
    el(
      'p',
      { class: 'soft', id: 'token-why' },
      'One with the scope read, or admin, of detector.tokens in its configuration. It is kept in this tab only, and goes out in a header, never in an address.',
    ),
    fault,
    el('div', { class: 'field' }, el('label', { for: 'token' }, 'Token'), input),
    el('button', { class: 'button primary', type: 'submit' }, 'Watch'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = input.value.trim();
    // A header holds no other characters; fetch would throw.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      setText(fault, 'A token is made of letters, digits and signs, without spaces.');
      return;
    }
    keepToken(token);
    onToken();
  });
  queueMicrotask(() => input.focus());
  return form;
}
