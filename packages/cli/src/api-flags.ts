/** Where the detector is and with what token it is asked; the same for all commands that ask it. */
export const apiFlags = {
  detector: {
    kind: 'text',
    value: 'URL',
    help: 'default TURNWATCH_DETECTOR_URL, else TURNWATCH_ENDPOINT, else http://127.0.0.1:4318',
  },
  token: {
    kind: 'text',
    value: 'TOKEN',
    help: 'default TURNWATCH_API_TOKEN, which other users of this host cannot see in the list of processes',
  },
} as const;
