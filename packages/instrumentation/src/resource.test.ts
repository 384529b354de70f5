import { expect, it } from 'vitest';
import { resourceOf, serviceNameOf } from './resource.ts';

it('reads what OpenTelemetry says of this process', () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=a%20b, deployment.environment.name=prod,,=x,none,odd=100%',
  };
  expect(resourceOf(env)).toEqual({
    'service.name': 'a b',
    'deployment.environment.name': 'prod',
    odd: '100%',
  });
  expect(serviceNameOf(env)).toBe('a b');
  expect(serviceNameOf({ ...env, OTEL_SERVICE_NAME: 'c' })).toBe('c');
  expect(serviceNameOf({ OTEL_SERVICE_NAME: '' })).toBeUndefined();
});
