import type { LiveBeat, LiveDetector } from '@turnwatch/protocol';
import { BaselinesView } from './baselines-view.ts';
import { DetectorTime } from './detector-time.ts';
import { byId, set, setText } from './dom.ts';
import { gate } from './gate.ts';
import { icon } from './icons.ts';
import { LiveStream } from './live-stream.ts';
import { LiveView } from './live-view.ts';
import { timeOfDay } from './moment.ts';
import type { Place, View } from './place.ts';
import { SourcesView } from './sources-view.ts';
import { showStrip } from './strip.ts';
import { TurnView } from './turn-view.ts';
import { spell } from './words.ts';

const announceEveryMs = 4000;

/** The page as a whole: which view is shown, what it hears, and how the connection stands. */
class Page implements Place {
  readonly time = new DetectorTime();
  readonly #main = byId('main', HTMLElement);
  readonly #strip = byId('strip', HTMLElement);
  readonly #lost = byId('lost', HTMLElement);
  readonly #connection = byId('connection-text', HTMLElement);
  readonly #clock = byId('connection-clock', HTMLElement);
  readonly #announcer = byId('announcer', HTMLElement);
  #view: View | undefined;
  #stream: LiveStream | undefined;
  #detector: LiveDetector | undefined;
  #lastMs = 0;
  #lostSinceMs: number | undefined;
  #why = '';
  #unsaid: string[] = [];
  #saidMs = 0;

  start(): void {
    byId('logo', HTMLElement).append(icon('logo'));
    byId('skip', HTMLElement).addEventListener('click', (event) => {
      event.preventDefault();
      this.#main.focus();
    });
    addEventListener('hashchange', () => this.#route(true));
    // A laptop that wakes up shows at once how old its picture is.
    document.addEventListener('visibilitychange', () => this.#tick());
    setInterval(() => this.#tick(), 1000);
    this.#route(false);
  }

  announce(text: string): void {
    this.#unsaid.push(text);
    this.#say();
  }

  restream(): void {
    this.#stream?.stop();
    const view = this.#view;
    if (view === undefined) return;
    this.#stream = new LiveStream(view.query, {
      snapshot: (data) => {
        this.#hear(data);
        view.snapshot?.(data);
      },
      change: (data) => {
        this.#hear(data);
        view.change?.(data);
      },
      beat: (data) => {
        this.#hear(data);
        view.beat?.(data);
      },
      lost: (why) => this.#lose(why),
      refused: (error) => {
        this.#become('connecting', 'a token is needed');
        this.#lost.hidden = true;
        this.#lostSinceMs = undefined;
        this.#view?.leave?.();
        this.#view = undefined;
        this.#main.replaceChildren(
          gate(error.code === 'TURNWATCH_ERR_UNAUTHORIZED' && !this.#asked ? '' : error.message, () =>
            this.#route(true),
          ),
        );
        this.#asked = true;
      },
    });
  }

  #asked = false;

  #route(moved: boolean): void {
    this.#view?.leave?.();
    const path = location.hash.replace(/^#\/?/, '');
    const [, turn] = /^turns\/(.+)$/.exec(path) ?? [];
    const page = turn !== undefined || path === '' ? 'live' : path;
    const view = this.#make(path, turn);
    this.#view = view;
    for (const link of document.querySelectorAll('nav a'))
      set(link, { 'aria-current': link.getAttribute('data-page') === page && 'page' });
    this.#main.replaceChildren(view.element);
    document.title = `${view.title} · Turnwatch`;
    if (moved) {
      this.#main.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    this.restream();
  }

  #make(path: string, turn: string | undefined): View {
    if (turn !== undefined) return new TurnView(this, decode(turn));
    if (path === 'sources') return new SourcesView();
    if (path === 'baselines') return new BaselinesView();
    return new LiveView(this);
  }

  #hear({ at, detector }: LiveBeat): void {
    this.#lastMs = Date.parse(at);
    this.time.hear(this.#lastMs);
    this.#detector = detector;
    this.#lostSinceMs = undefined;
    this.#lost.hidden = true;
    this.#asked = false;
    this.#become('live', 'live');
    showStrip(this.#strip, detector, this.time.now());
  }

  /** Nothing that is shown from here on is live, and it says so. */
  #lose(why: string): void {
    this.#lostSinceMs ??= Date.now();
    this.#why = why;
    this.time.hold(this.#lastMs);
    this.#become('lost', 'not live');
    this.#tick();
  }

  #become(connection: 'connecting' | 'live' | 'lost', words: string): void {
    document.body.dataset.connection = connection;
    setText(this.#connection, words);
    setText(this.#clock, connection === 'live' ? timeOfDay(this.time.now()) : '');
  }

  #tick(): void {
    const { connection } = document.body.dataset;
    if (connection === 'lost') {
      const shown =
        this.#lastMs === 0 ? '' : ` What is shown is of ${timeOfDay(this.#lastMs)}, and stands still.`;
      const ms = Date.now() - (this.#lostSinceMs ?? Date.now());
      this.#lost.hidden = false;
      // Told once; the seconds would be read aloud one after the other.
      const rough = ms < 10_000 ? '' : ` for ${spell(Math.floor(ms / 10_000) * 10_000)}`;
      setText(this.#lost, `Connection lost${rough}: ${this.#why}. Trying again.${shown}`);
      return;
    }
    if (connection !== 'live') return;
    const nowMs = this.time.now();
    setText(this.#clock, timeOfDay(nowMs));
    if (this.#detector !== undefined) showStrip(this.#strip, this.#detector, nowMs);
    this.#view?.tick?.(nowMs);
    this.#say();
  }

  /** A few at a time: a reader of the screen must be able to follow. */
  #say(): void {
    if (this.#unsaid.length === 0 || Date.now() - this.#saidMs < announceEveryMs) return;
    this.#saidMs = Date.now();
    const said =
      this.#unsaid.length > 3
        ? `${this.#unsaid.length} more turns have become stale or expired.`
        : this.#unsaid.join(' ');
    this.#unsaid = [];
    setText(this.#announcer, said);
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

new Page().start();
