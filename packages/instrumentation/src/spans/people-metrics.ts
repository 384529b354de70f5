import { GenAi, GenAiOperation } from '@turnwatch/protocol/wire';
import type { Counters } from '../producer/counters.ts';
import type { Phase } from '../producer/signal.ts';
import { BoundedWords } from './bounded-words.ts';
import { Instruments } from './instruments.ts';
import { otherError } from './open-span.ts';
import type { Reread } from './rereads.ts';

/** Whose model it is. */
export interface Model {
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

const unknown = 'unknown';
const beyond = 'other';

/** The metrics for people. No id is a label, and no label has more than some hundred values. */
export class PeopleMetrics {
  readonly #instruments: Instruments;
  readonly #providers: BoundedWords = new BoundedWords(30, beyond);
  readonly #models: BoundedWords = new BoundedWords(100, beyond);
  readonly #errors: BoundedWords = new BoundedWords(50, otherError);

  constructor(counters: Counters) {
    this.#instruments = new Instruments(counters);
  }

  get isLive(): boolean {
    return this.#instruments.isLive;
  }

  /** @param errorType absent: it completed. */
  inference(ms: number, model: Model, errorType: string | undefined): void {
    this.#instruments.record('inferenceDuration', ms, {
      ...this.#genAi(model),
      ...(errorType === undefined ? {} : { 'error.type': this.#errors.of(errorType) }),
    });
  }

  firstChunk(ms: number, model: Model): void {
    this.#instruments.record('firstChunk', ms, this.#genAi(model));
  }

  gap(ms: number, model: Model, phase: Phase): void {
    this.#instruments.record('largestGap', ms, { ...this.#ours(model), phase });
  }

  reread({ tokens, outcome }: Reread, model: Model): void {
    this.#instruments.reread(tokens, { ...this.#ours(model), outcome });
  }

  #genAi(words: Model): Record<string, string> {
    const { provider, model } = this.#ours(words);
    return {
      [GenAi.operation[0]]: GenAiOperation.request[0],
      [GenAi.provider[0]]: provider,
      [GenAi.model[0]]: model,
    };
  }

  #ours({ provider, model }: Model): { readonly provider: string; readonly model: string } {
    return {
      provider: this.#providers.of(provider ?? unknown),
      model: this.#models.of(model ?? unknown),
    };
  }
}
