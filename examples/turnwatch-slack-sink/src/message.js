import {
  isRequestExpired,
  isSourceSilent,
  isTurnExpired,
  isTurnRecovered,
  isTurnStale,
} from '@turnwatch/plugin';
import { code, text } from './slack-text.js';

/** @typedef {import('@turnwatch/plugin').WebhookEvent} WebhookEvent */

/**
 * A Block Kit message. Names of turns, agents and tools come from agents: all of them go through `code` and `text`, which
 * leave nothing in them that Slack would read as a mention, a link or a format.
 *
 * @param {WebhookEvent} event
 * @param {string} [mention] id of a member or user group
 * @returns {{ text: string, blocks: readonly object[] }}
 */
export function messageOf(event, mention) {
  const { icon, line, details = [], turn, link, urgent = false } = told(event);
  const ping = mention === undefined || !urgent ? '' : ` ${mentionOf(mention)}`;
  const about = [
    ...details,
    ...(turn?.agent === undefined ? [] : [`*Agent* ${code(turn.agent)}`]),
    ...(turn?.model === undefined ? [] : [`*Model* ${code(turn.model)}`]),
    ...(turn?.parentId === undefined ? [] : [`*Started by* ${code(turn.parentId)}`]),
    ...(turn?.conversationId === undefined ? [] : [`*Conversation* ${code(turn.conversationId)}`]),
  ];
  return {
    // What notifications show, and clients without blocks.
    text: `${icon} ${line}`,
    blocks: [
      section(`${icon} ${line}${ping}`),
      ...(about.length === 0
        ? []
        : [
            { type: 'section', fields: about.slice(0, 10).map((field) => ({ type: 'mrkdwn', text: field })) },
          ]),
      ...(link === undefined
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open the turn' }, url: link }],
            },
          ]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: `${text(event.type)} · ${text(event.id)}` }] },
    ],
  };
}

/**
 * @param {WebhookEvent} event
 * @returns {{
 *   icon: string, line: string, details?: readonly string[], link?: string | undefined, urgent?: boolean,
 *   turn?: import('@turnwatch/plugin').TurnDetails,
 * }}
 */
function told(event) {
  if (isTurnStale(event)) {
    const { turn, stale, links } = event.data;
    const lost = stale.pendingToolCalls.filter(({ id }) => stale.expiredToolCalls.includes(id));
    return {
      icon: ':warning:',
      line: `Turn ${code(turn.id)} has stopped: no activity for ${seconds(stale.silenceMs)} in phase ${code(stale.phase)} (${code(stale.reason)}).`,
      details: [
        `*Healthy limit* ${seconds(stale.thresholdMs)}`,
        ...lost
          .slice(0, 3)
          .map(({ id, name, quietMs }) => `*Tool* ${code(name ?? id)}, quiet for ${seconds(quietMs)}`),
      ],
      turn,
      link: linkOf(links.turn),
      urgent: true,
    };
  }
  if (isTurnExpired(event)) {
    const { turn, expired, links } = event.data;
    return {
      icon: ':x:',
      line: `Turn ${code(turn.id)} is past its horizon ${text(expired.expiresAt)} and was settled as expired.`,
      details: [`*State before* ${code(expired.stateBefore)}`],
      turn,
      link: linkOf(links.turn),
      urgent: true,
    };
  }
  if (isTurnRecovered(event)) {
    const { turn, links } = event.data;
    return {
      icon: ':white_check_mark:',
      line: `Turn ${code(turn.id)} works again.`,
      turn,
      link: linkOf(links.turn),
    };
  }
  if (isRequestExpired(event)) {
    const { turn, request, links } = event.data;
    return {
      icon: ':hourglass:',
      line: `Request ${code(request.id)} of turn ${code(turn.id)} is past its horizon.`,
      turn,
      link: linkOf(links.turn),
    };
  }
  if (isSourceSilent(event))
    return {
      icon: ':mute:',
      line: `Nothing comes in by ${code(event.data.silent.path)} any more; ${event.data.silent.turns} turns cannot be seen.`,
      urgent: true,
    };
  // A type that is newer than this plugin.
  return { icon: ':bell:', line: `Event ${code(event.type)} about ${code(event.subject ?? 'no turn')}.` };
}

/** @param {number} ms */
function seconds(ms) {
  const whole = Math.round(ms / 1000);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** @param {string} id of the operator's choice, checked with the options */
function mentionOf(id) {
  return id.startsWith('S') ? `<!subteam^${id}>` : `<@${id}>`;
}

/** @param {string} content mrkdwn, of at most 3000 characters */
function section(content) {
  return { type: 'section', text: { type: 'mrkdwn', text: content.slice(0, 3000) } };
}

/**
 * The turn on the detector's live page. Slack refuses the whole message for a button whose address is none.
 *
 * @param {string} link the turn in the API, as events have it
 */
function linkOf(link) {
  if (!URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link.replace('/v1/turns/', '/#/turns/'));
  return (protocol === 'https:' || protocol === 'http:') && href.length <= 3000 ? href : undefined;
}
