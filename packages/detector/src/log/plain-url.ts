/**
 * A URL as it may be shown: without user, password, and query, which is where people put keys.
 * Text that holds URLs is cleaned wherever they stand.
 */
export function withoutUrlSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'@]*@/gi, '$1[…]@')
    .replace(/\b(https?:\/\/[^\s?#"'<>]*)\?[^\s"'<>]*/gi, '$1?[…]');
}
