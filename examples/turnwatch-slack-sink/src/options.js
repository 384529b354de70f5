/**
 * @typedef {object} SlackOptions
 * @property {string} urlEnv Variable with the address of the incoming webhook.
 * @property {string | undefined} mention Who is pinged by stale and expired turns: a member `U...` or a user group `S...`.
 */

// Written by hand to show all that a Standard Schema is; zod, valibot and arktype have it built in.

/** @type {import('@turnwatch/plugin').StandardSchema<SlackOptions>} */
export const optionsSchema = {
  '~standard': {
    version: 1,
    vendor: 'turnwatch-slack-sink',
    validate(value) {
      const given = /** @type {Record<string, unknown>} */ (value);
      const { urlEnv = 'SLACK_WEBHOOK_URL', mention } = given;
      const issues = [];
      if (typeof urlEnv !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(urlEnv))
        issues.push({ path: ['urlEnv'], message: 'must be the name of a variable' });
      if (mention !== undefined && (typeof mention !== 'string' || !/^[US][A-Z0-9]{1,30}$/.test(mention)))
        issues.push({
          path: ['mention'],
          message: 'must be the id of a member (U...) or of a user group (S...)',
        });
      if (issues.length > 0) return { issues };
      return {
        value: { urlEnv: String(urlEnv), mention: mention === undefined ? undefined : String(mention) },
      };
    },
  },
};
