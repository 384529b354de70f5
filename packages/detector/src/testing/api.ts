/** Requests to the API with or without a token. */
export class Api {
  readonly #url: string;
  readonly #token: string | undefined;

  constructor(url: string, token?: string) {
    this.#url = url;
    this.#token = token;
  }

  as(token: string | undefined): Api {
    return new Api(this.#url, token);
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown>; readonly headers: Headers }> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, body: json ? JSON.parse(text) : {}, headers: response.headers };
  }
}
