/*
 * Express 5.3: reads the setting `trust proxy fn`, into which it compiles `trust proxy`.
 * Reason: no function of Express says whether the sender of a request is a trusted proxy.
 * tests/unit/patches/trusted-proxy.test.ts fails when Express no longer has the setting.
 */
import type { Request } from 'express';

/** True if the sender of a request is a proxy of the setting `trust proxy`. */
export function isFromTrustedProxy(req: Request): boolean {
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hops: number) => boolean;
  return isTrusted(req.socket.remoteAddress ?? '', 0);
}
