export const repository = 'https://github.com/turnwatch/turnwatch';

export function runbookUrl(alert: string): string {
  return `${repository}/blob/main/docs/runbooks/${alert}.md`;
}
