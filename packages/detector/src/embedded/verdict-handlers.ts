import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { toDocument } from '@turnwatch/protocol/detect';
import type {
  AbortingDocument,
  AttemptControl,
  EmbeddedOptions,
  Handler,
  Told,
} from './embedded-detector.ts';
import type { Troubles } from './troubles.ts';

/** Verdicts to functions of the agent, none of which can hurt another or the detector. */
export class VerdictHandlers {
  control: AttemptControl | undefined;
  readonly #options: EmbeddedOptions;
  readonly #troubles: Troubles;
  readonly #source: string;
  #sequence = 0;

  constructor(options: EmbeddedOptions, troubles: Troubles) {
    this.#options = options;
    this.#troubles = troubles;
    this.#source = `urn:turnwatch:detector:${options.name ?? 'embedded'}`;
  }

  tell(event: TurnEvent | SourceSilentEvent): void {
    this.#troubles.guard(() => {
      const document = toDocument(event, {
        source: this.#source,
        sequence: ++this.#sequence,
        linkBase: this.#options.linkBase ?? '',
      });
      const { onStale, onExpired, onRecovered, onSuspect, onRequestExpired, onSourceSilent } = this.#options;
      switch (document.type) {
        case 'turn.stale':
          this.#call(onStale, document, this.#act(document));
          break;
        case 'turn.expired':
          this.#call(onExpired, document, this.#act(document));
          break;
        case 'turn.recovered':
          this.#call(onRecovered, document, notAborted);
          break;
        case 'turn.suspect':
          this.#call(onSuspect, document, notAborted);
          break;
        case 'request.expired':
          this.#call(onRequestExpired, document, notAborted);
          break;
        case 'source.silent':
          this.#call(onSourceSilent, document, notAborted);
          break;
        case 'webhook.test':
          break;
      }
    });
  }

  /** First the abort, then the word: who is told can fill the slot again at once. */
  #act(document: AbortingDocument): Told {
    const { abort = false } = this.#options;
    let aborted = false;
    this.#troubles.guard(() => {
      const wanted = typeof abort === 'function' ? abort(document) : abort;
      aborted = wanted === true && this.control?.abort(document) === true;
    });
    return { aborted };
  }

  #call<Document>(handler: Handler<Document> | undefined, document: Document, told: Told): void {
    this.#troubles.guard(() => handler?.(document, told));
  }
}

const notAborted: Told = { aborted: false };
