import { type BodyWatch, tapBody } from './body-tap.ts';

export interface TappedResponse {
  readonly response: Response;
  abort(error: Error): void;
}

/** The same response with a watched body. `undefined`: it has none that can be watched, and was not touched. */
export function tapResponse(response: Response, watch: BodyWatch): TappedResponse | undefined {
  const { body } = response;
  // A body in use belongs to its reader.
  if (!(body instanceof ReadableStream) || body.locked || response.bodyUsed) return undefined;
  const { stream, abort } = tapBody(body, watch);
  const like = response.constructor as typeof Response;
  const tapped = new like(stream, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  return { response: withFacts(tapped, response), abort };
}

/** A response that is made by hand has no URL: it gets those of the real one, and hands them on to its clones. */
function withFacts(tapped: Response, original: Response): Response {
  const { url, redirected, type } = original;
  const clone = tapped.clone.bind(tapped);
  return Object.defineProperties(tapped, {
    url: { value: url, configurable: true },
    redirected: { value: redirected, configurable: true },
    type: { value: type, configurable: true },
    clone: { value: () => withFacts(clone(), original), configurable: true },
  });
}
