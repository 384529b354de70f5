// The token lives as long as the tab. It goes out in a header only, never in an address.
const key = 'turnwatch.token';

export function knownToken(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(key, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(key);
}
