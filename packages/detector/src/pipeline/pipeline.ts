import type { Effect, Now, Registry, Signal, SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import type { NewDelivery } from '@turnwatch/webhook/send';
import { storeTrouble } from '../store/store-trouble.ts';
import type { AuditEntry } from '../store/stored-audit.ts';
import type { Accepted } from './accepted.ts';
import { Changes, type CommitShare, sliceTurns } from './changes.ts';
import { judged } from './judged.ts';
import { mergeBatch } from './merge-batch.ts';
import type { PipelineOptions } from './pipeline-options.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { timed } from './timed-commit.ts';

/** Signals that wait, over all batches. Beyond it new batches are refused, to be sent again by their exporters. */
const maxQueuedSignals = 500_000;

interface Batch {
  readonly signals: readonly Signal[];
  readonly path: string;
  readonly owner: string | undefined;
  readonly resolve: (accepted: Accepted) => void;
  readonly reject: (error: unknown) => void;
}

export interface StoreHealth {
  /** Undefined while the store works. */
  readonly failing?: { readonly sinceMs: number; readonly error: string };
}

/**
 * The way of every signal: queue, registry, judgement, store. All queued input is merged before anything is judged
 * (a backlog of heartbeats is no silence), and a batch is acknowledged after its commit.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #changes: Changes;
  #queue: Batch[] = [];
  #queued = 0;
  #scheduled = false;
  #closed = false;
  #unannounced: (TurnEvent | SourceSilentEvent)[] = [];
  #health: StoreHealth = {};
  /** Turns that this round of the checkpoint still has to write. */
  #roundLeft = 0;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#changes = new Changes(options.bootId);
  }

  /** New turns will soon be refused. */
  get crowded(): boolean {
    return this.#options.owners.crowded;
  }

  get health(): StoreHealth {
    return this.#health;
  }

  /**
   * Queues a batch; resolves when it is merged and what had to be kept is kept.
   *
   * @param owner of the token it came with. Without one it may change every turn.
   *
   * @throws {StoreUnavailable} when nothing could be kept, or too much waits: the sender is to try again.
   */
  submit(signals: readonly Signal[], path: string, owner?: string): Promise<Accepted> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('the detector is stopping'));
    if (this.#queued + signals.length > maxQueuedSignals)
      return Promise.reject(new StoreUnavailable(`${this.#queued} signals are waiting already`));
    return new Promise((resolve, reject) => {
      this.#queue.push({ signals, path, owner, resolve, reject });
      this.#queued += signals.length;
      this.#runSoon();
    });
  }

  #runSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.soon(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#runQueued();
    });
  }

  /**
   * Merges all queued input, judges what is due (a slice of it, and the rest soon), commits, then answers. Synchronous, so it
   * never overlaps itself. With `tick` a checkpoint under way goes on, and a store that fails is tried again; with
   * `checkpoint` one begins.
   * @throws {StoreUnavailable} when nothing could be kept; what has changed waits for the next run.
   * @throws {JudgingError} a fault of ours, that /healthz must show; all other turns are judged, and what was sent is kept.
   */
  run({ checkpoint = false, tick = checkpoint }: { checkpoint?: boolean; tick?: boolean } = {}): void {
    const now = this.#options.now();
    const answers = this.#drain(now);
    let fault: unknown;
    let failure: unknown;
    try {
      const judgement = judged(this.#options.registry, now);
      fault = judgement.fault;
      if (this.#options.registry.behind) this.#runSoon();
      this.#take(judgement.effects, now, undefined);
      if (checkpoint) this.#roundLeft = Math.max(this.#roundLeft, this.#changes.moved);
      const movedTurns = tick ? Math.min(this.#roundLeft, sliceTurns) : 0;
      if (this.#changes.urgent || checkpoint || movedTurns > 0) {
        // Between ticks a store that fails is left alone: trying it for each batch would cost the judging its time.
        if (!tick) this.#refuseWhileFailing();
        this.#commit(now, { movedTurns, withRest: checkpoint });
        this.#roundLeft -= movedTurns;
      }
    } catch (error) {
      failure = error;
    }
    for (const { batch, refused } of answers) {
      if (failure === undefined) batch.resolve({ refused });
      else
        batch.reject(
          failure instanceof StoreUnavailable ? failure : new StoreUnavailable('judging failed', failure),
        );
    }
    if (fault !== undefined || failure !== undefined) throw fault ?? failure;
  }

  /**
   * {@link run} of the tick. A store that fails is told by /healthz and logged once; judging goes on, verdicts wait in memory.
   * @throws whatever judging threw
   */
  tick(options: { readonly checkpoint: boolean }): void {
    try {
      this.run({ ...options, tick: true });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  /** Between ticks nobody is there to catch: the batches were refused, the next tick tries again and says so. */
  #runQueued(): void {
    try {
      this.run();
    } catch (error) {
      if (!(error instanceof StoreUnavailable))
        this.#options.logger.error({ err: error }, 'judging failed; it is tried again at the next tick');
    }
  }

  /**
   * Queues one delivery that no verdict made (`webhook.test`), durably.
   * @throws {StoreUnavailable} when it could not be kept now; it goes out once it can.
   */
  deliver(make: (now: Now) => NewDelivery): NewDelivery {
    if (this.#closed) throw new StoreUnavailable('the detector is stopping');
    const now = this.#options.now();
    const delivery = make(now);
    this.#changes.deliver(delivery);
    this.#commit(now, { movedTurns: 0, withRest: false });
    return delivery;
  }

  /**
   * Does what an operator says, durably with its audit. It is judged by at the next run. False: there was nothing to do.
   * @throws {StoreUnavailable} when it could not be kept now; it holds all the same, and is kept once it can be.
   */
  command(work: (registry: Registry, now: Now) => readonly Effect[], audit: AuditEntry): boolean {
    if (this.#closed) throw new StoreUnavailable('the detector is stopping');
    const now = this.#options.now();
    const effects = work(this.#options.registry, now);
    if (effects.length === 0) return false;
    this.#take(effects, now, undefined);
    this.#changes.audit(audit);
    this.#commit(now, { movedTurns: 0, withRest: false });
    return true;
  }

  /**
   * Keeps in the audit what was done to something else than a turn. It is done by then: where it cannot be kept now, it is
   * once the store can be written, which /healthz and the log tell of.
   */
  audit(entry: Omit<AuditEntry, 'atMs'>): void {
    const now = this.#options.now();
    this.#changes.audit({ ...entry, atMs: now.wallMs });
    try {
      this.#commit(now, { movedTurns: 0, withRest: false });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  /** Drops settled turns from memory and store, with the next commit; beyond `keep` those that settled first. */
  forget(settledBeforeMs: number, keep?: number): void {
    const forgotten = this.#options.registry.forget(settledBeforeMs, keep);
    for (const id of forgotten) this.#changes.forget(id);
    this.#options.owners.forget('turn', forgotten);
    const processes = this.#options.registry.processes(this.#options.now()).map(({ id }) => id);
    this.#options.owners.keepOnly('process', processes);
    this.#options.owners.keepOnly('engine', this.#options.registry.engines());
    this.#options.onForgotten(forgotten);
  }

  /** Merges and keeps what is queued, judges nothing more, refuses what comes later. */
  close(): void {
    this.#closed = true;
    const now = this.#options.now();
    const answers = this.#drain(now);
    try {
      this.#commit(now, { movedTurns: this.#changes.moved, withRest: true });
      for (const { batch, refused } of answers) batch.resolve({ refused });
    } catch (error) {
      for (const { batch } of answers) batch.reject(error);
      throw error;
    }
  }

  #drain(now: Now): { batch: Batch; refused: Accepted['refused'] }[] {
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    const into = {
      ...this.#options,
      take: (effects: readonly Effect[], turn: string | undefined) => this.#take(effects, now, turn),
      touch: (turn: string) => this.#changes.touch(turn),
    };
    return queue.map((batch) => ({ batch, refused: mergeBatch(batch, now, into) }));
  }

  #take(effects: readonly Effect[], now: Now, turn: string | undefined): void {
    for (const effect of effects) {
      if (effect.kind === 'keep') this.#changes.keep(effect.turn);
      if (effect.kind === 'learned') this.#changes.learn(effect.key, turn);
      if (effect.kind === 'publish') {
        if (effect.event.type !== 'source.silent') this.#changes.keep(effect.event.turn);
        this.#tell(effect.event, now);
        this.#unannounced.push(effect.event);
      }
      this.#options.onEffect(effect);
    }
  }

  /** An event that cannot be written (an instant that is none) must not take the others of its judgement with it. */
  #tell(event: TurnEvent | SourceSilentEvent, now: Now): void {
    try {
      const told = this.#options.teller.tell(event, now);
      this.#changes.publish(told.event);
      for (const delivery of told.deliveries) this.#changes.deliver(delivery);
    } catch (error) {
      this.#options.logger.error(
        { err: error, type: event.type },
        'an event could not be written and is told to nobody',
      );
    }
  }

  #refuseWhileFailing(): void {
    const { error } = this.#health.failing ?? {};
    if (error !== undefined)
      throw new StoreUnavailable(`the store cannot be written (${error}); it is tried once a second`);
  }

  #commit(now: Now, share: CommitShare): void {
    const { registry, store, teller, logger, owners } = this.#options;
    const changes = this.#changes.commitOf(registry, now, teller.sequence, share);
    const commit = { ...changes, owners: owners.pending };
    try {
      timed(() => store.commit(commit), this.#options);
    } catch (error) {
      const text = storeTrouble(error);
      if (this.#health.failing === undefined)
        logger.error(
          { err: error, store: store.place },
          'the store cannot be written; verdicts wait in memory until it can',
        );
      this.#health = { failing: { sinceMs: this.#health.failing?.sinceMs ?? now.wallMs, error: text } };
      throw new StoreUnavailable(`the store cannot be written (${text})`, error);
    }
    if (this.#health.failing !== undefined)
      logger.info({ store: store.place }, 'the store can be written again');
    this.#health = {};
    this.#changes.clear(share);
    owners.kept();
    if (commit.deliveries.length > 0) this.#options.onQueued();
    if (commit.events.length > 0) this.#options.onKept(commit.events);
    this.#announce();
  }

  /** Only what is kept is shown: a verdict on screen is one that survives a crash. */
  #announce(): void {
    const events = this.#unannounced;
    this.#unannounced = [];
    for (const event of events) this.#options.onEvent(event);
  }
}
