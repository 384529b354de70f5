const maxLength = 128;
/** Control, format (bidirectional ones, zero width) and line-breaking characters, and halves of pairs. */
const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Foreign text as Slack shows it: `<!channel>`, `<@U1>` and `<https://...|here>` are what they look like, not what they
 * would do. At most 128 characters.
 *
 * @param {string} foreign
 */
export function text(foreign) {
  return cut(foreign).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Foreign text as code, in which Slack formats nothing; a backtick in it could end that.
 *
 * @param {string} foreign
 */
export function code(foreign) {
  const clean = text(foreign.replaceAll('`', "'"));
  return clean.trim() === '' ? '`(empty)`' : `\`${clean}\``;
}

/** @param {string} foreign */
function cut(foreign) {
  const clean = [...foreign.slice(0, 4 * maxLength).replace(harmful, '')];
  return clean.length <= maxLength ? clean.join('') : `${clean.slice(0, maxLength - 1).join('')}…`;
}
