import { type Answer, among, any, between, each, type Value } from './answer.ts';
import { gapsInAll, requestsInAll } from './panel-scene.ts';

// What each query of each panel says when the scene is over, in the order of the panel's queries.

/** A share, and a time, that a busy machine may make larger. */
const share = between(0, 1);
const seconds = between(0, 300);
const recently = between(0, 60);

const staleGroups = (value: Value): Answer =>
  each({
    'scripted-model text openai silence': value,
    'scripted-model tool openai tool_silence': value,
    'scripted-model text openai process_unreachable': value,
  });

export const answers: Readonly<Record<string, readonly Answer[]>> = {
  // stream-stops, lost-tool and killed; the one of the compose file's agent went on.
  'Turns / Stale now': [3],
  // wedged
  'Turns / Expired, last hour': [1],
  // stream-stops: 3 s and a quarter of it.
  'Turns / Nearest to its limit': [between(4 / 3.75, 16)],
  // The three, and those of the hindered agent.
  'Turns / Open turns': [6],
  'Turns / The detector sees': [1],
  'Turns / Wrong verdicts, last hour': [1],
  'Turns / Stale turns, and since when': [staleGroups(1), staleGroups(recently)],
  'Turns / Oldest silence against its limit': [between(4, 60), 3.75],
  'Turns / What open turns do': [
    each({
      first_token: 1,
      text: 2,
      tool: 2,
      waiting: 1,
      ...Object.fromEntries(
        ['queued', 'reasoning', 'tool_args', 'non_streaming', 'compacting', 'agent', 'idle'].map((phase) => [
          phase,
          0,
        ]),
      ),
    }),
  ],
  'Turns / Turns by state': [each({ running: 3, suspect: 0, stale: 3, waiting: 1 })],
  'Turns / Verdicts by reason': [each({ silence: 2, tool_silence: 1, process_unreachable: 1 })],
  'Turns / Verdicts that were wrong, by reason': [each({ silence: 1 })],
  'Turns / Verdicts by provider': [each({ openai: 3, demo: 1 })],
  'Turns / Verdicts by model': [each({ 'scripted-model': 3, slow: 1 })],
  'Turns / Verdicts by phase': [each({ text: 3, tool: 1 })],
  'Turns / Expired by state before': [each({ running: 1 })],

  'Detection quality / Delay of a verdict, p99': [seconds],
  'Detection quality / Late verdicts, last hour': [share],
  'Detection quality / False flags, last day': [0.25],
  // Of the compose file's agent: two models, three phases each; of the others what has ended well.
  'Detection quality / Keys that have learned': [between(6, 14)],
  'Detection quality / Delay of a verdict': [seconds, seconds, seconds],
  'Detection quality / Verdicts and those that were wrong': [4, 1],
  // The gap of 7.2 s that was no stall is what is allowed from now on.
  'Detection quality / Thresholds by key': [
    among({ 'demo fast text': 3, 'demo slow text': between(7, 60), 'demo fast first_token': 4 }),
  ],
  'Detection quality / Largest healthy gap by key': [
    among({ 'demo fast text': between(0.02, 3), 'demo slow text': between(7, 60) }),
  ],
  'Detection quality / Gaps within turns, as agents see them': [
    among({ '+Inf': gapsInAll, '5': between(18, 23), '60': gapsInAll }),
  ],
  // Two of silence, and the horizon.
  'Detection quality / Delays of verdicts': [among({ '+Inf': 3, '300': 3 })],
  'Detection quality / What each key has learned': [
    // Two turns each; of one that is over in a second not every record may come.
    among({ 'fast text demo': between(1, 2), 'slow text demo': between(1, 2) }),
    among({ 'fast text demo': 0, 'slow text demo': 0 }),
    among({ 'fast text demo': between(0.02, 3), 'slow text demo': between(7, 60) }),
    among({ 'fast text demo': 3, 'slow text demo': between(7, 60) }),
    among({ 'fast text demo': 1, 'slow text demo': between(1.5, 2) }),
  ],
  'Detection quality / Back-off by key': [among({ 'demo fast text': 1, 'demo slow text': between(1.5, 2) })],
  'Detection quality / Late verdicts by window': [share, share, share, share],

  'Engines / Engines by state': [each({ idle: 0, busy: 1, unloaded: 0, unreachable: 0 })],
  'Engines / Requests that wait for a slot': [2],
  'Engines / Turns that read their prompt': [each({ first_token: 1, queued: 0 })],
  // 6000 tokens at some hundred a second.
  'Engines / Lost to reading again, last hour': [between(6000 / 1000, 6000 / 10)],
  // 1000 tokens in a look of 2 s, or later.
  'Engines / Speed of reading, per slot': [between(10, 1000)],
  'Engines / Speed of generating, per slot': [between(0.5, 40)],
  'Engines / Queue and busy engines': [2, 1],
  // long-read waited for 9 s; the others had their first chunk at once.
  'Engines / Time to the first chunk': [between(0.001, 5), between(0.001, 10), between(7.5, 60)],
  'Engines / Tokens read again, by how the request ended': [each({ cancelled: 6000 })],
  'Engines / Duration of requests': [
    among({ '+Inf': requestsInAll, '5.12': between(3, 6), '1310.72': requestsInAll }),
  ],

  'Pipeline / Paths': [each({ direct: 1, collector: 1 })],
  'Pipeline / Last judgement': [between(0, 10)],
  'Pipeline / Store': [1],
  // worker-2 was killed.
  'Pipeline / Sources not heard of': [1],
  'Pipeline / Records a second': [between(0.1, 1000)],
  'Pipeline / Age of the canary, by path': [each({ direct: between(0, 10), collector: between(0, 10) })],
  'Pipeline / Lag of records, p95 by path': [each({ collector: seconds })],
  // No agent has a way but the Collector, and metrics are none of the detector's.
  'Pipeline / Records by path and signal': [each({ 'collector logs': between(0.1, 1000) })],
  'Pipeline / Answers by status': [each({ '200': between(0.01, 1000) })],
  // The one record without a turn.
  'Pipeline / Refused and ignored': [1, 0, 0, 0],
  'Pipeline / Sources not heard of, by path': [among({ collector: 1, direct: 0 })],
  'Pipeline / What waits in the Collector': [
    each({ 'otlp_http/turnwatch': between(0, 100), 'otlp_http/turnwatch_spans': 0 }),
  ],
  'Pipeline / How full its queue is': [
    each({ 'otlp_http/turnwatch': between(0, 100 / 200_000), 'otlp_http/turnwatch_spans': 0 }),
  ],
  'Pipeline / Records in and out of the Collector': [between(100, 10_000), between(100, 10_000)],
  // One was refused for good, before the detector was there.
  'Pipeline / Records that the Collector did not take or lost': [0, 1, 0],
  'Pipeline / Lateness and length of ticks, p99': [seconds, seconds],
  'Pipeline / Transactions of the store, p99': [each({ ok: seconds })],
  'Pipeline / Memory': [
    each({ resident: between(1e6, 1e11), heap: between(1e6, 1e11), external: between(1, 1e11) }),
  ],
  'Pipeline / Processor time': [each({ user: between(1e-6, 64), system: between(1e-6, 64) })],
  'Pipeline / Versions and starts': [0],
  'Pipeline / Refused for their token': [0],
  // A pause of the detector is one of this machine.
  'Pipeline / Sleep and pauses': [1, any],
  'Pipeline / Plugins and the dead-man’s switch': [0, 0],

  // Four verdicts, a recovery and an expiry, for the endpoint that is away.
  'Webhooks / Events that wait': [6],
  'Webhooks / Dead letters': [0],
  'Webhooks / Endpoints that get nothing': [0],
  'Webhooks / Time to the handler, p99': [seconds],
  'Webhooks / Late or lost, last hour': [share],
  'Webhooks / Events that wait, by endpoint': [among({ away: 6 })],
  'Webhooks / Time to the handler': [seconds, seconds, seconds],
  'Webhooks / Attempts by outcome': [each({ 'planner delivered': 6, 'away retry': between(6, 1000) })],
  'Webhooks / Endpoints by state': [each({ active: 2, paused: 0, disabled: 0 })],
  'Webhooks / Time to the handler, all events': [among({ '+Inf': 6, '3600': 6 })],
  'Webhooks / Dead letters and superseded events': [0, between(0, 6)],
  'Webhooks / Late or lost by window': [share, share, share, share],
  'Webhooks / Who waits on the events feed': [0],
};
