import standalone from '../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js?url';
import { readSettings } from '../shared/settings.ts';
import { permitStyles } from '../shared/style-nonce.ts';

/** Scalar's bundle, which defines this global. */
interface Scalar {
  createApiReference(element: string, configuration: object): void;
}

permitStyles(readSettings<{ styleNonce: string }>().styleNonce);
const script = document.createElement('script');
script.src = standalone;
script.addEventListener('load', () => {
  const { Scalar } = globalThis as unknown as { Scalar: Scalar };
  Scalar.createApiReference('#docs', {
    url: 'openapi.yaml',
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
  });
});
document.head.append(script);
