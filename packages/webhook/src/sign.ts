export { generateKeyPair, publicKeyOf, type WebhookKeyPair } from './sign/ed25519.ts';
export { bodyNotRawMessage } from './sign/raw-body.ts';
export { generateSecret } from './sign/secret.ts';
export { type SignInput, sign } from './sign/signature.ts';
export { type Verified, type VerifyInput, verify, type WebhookHeaders } from './sign/verify.ts';
export { WebhookError, type WebhookErrorCode } from './sign/webhook-error.ts';
