import type { RequestHandler } from 'express';
import { createBodyMemory, createTextMemory } from '../api/http/bodies/body-memory.ts';
import { jsonBody } from '../api/http/bodies/buffered-body.ts';
import { formBody } from '../api/http/bodies/form-body.ts';
import { UPLOAD_RETRY_AFTER_SECONDS } from '../api/http/bodies/uploads.ts';
import { refuseCrossSiteForms } from '../api/http/browsers.ts';
import type { Health } from '../api/http/health.ts';
import { uploadLimits } from '../api/http/request-limits.ts';
import type { RequestObserver } from '../api/http/request-record.ts';
import { InputValidator } from '../api/inputs/input-validator.ts';
import type { Overview } from '../auth/overview.ts';
import type { Config } from '../config/config.ts';
import type { Backups } from '../database/backups.ts';
import { DocumentUrls } from '../documents/document-urls.ts';
import { SharedCapacity } from '../system/shared-capacity.ts';
import type { Events } from './events.ts';
import type { RequestDomain } from './request-domain.ts';

export type ApiBasis = RequestDomain &
  Events & {
    health: Health;
    overview: Overview;
    backups: Backups | undefined;
    /** The beginning of the URLs of documents. */
    baseUrl(): string;
    /** Begins the span of each request; undefined without traces. */
    beginTrace: RequestHandler | undefined;
    /** Called at the end of every request. */
    requestObservers: RequestObserver[];
  };

/** The domain with what the APIs share. */
export type ApiParts = ReturnType<typeof openApiParts>;

/** Adds what the APIs share: how they read bodies, check input, and show documents. */
export function openApiParts(config: Config, basis: ApiBasis) {
  const { baseUrl, passwordCheck, urlSigner, clock } = basis;
  const { corsOrigins, people, idFormat, introspection, federation, eventClients } = config;
  const { passwordMinCharacters, documentCheck, maxFileBytes, uploadCapacity: limits } = config;
  const bodies = { memory: createBodyMemory(), timeoutMillis: config.deadlines.jsonBodyMillis };
  return {
    ...basis,
    idFormat,
    introspection,
    federation,
    eventClients,
    bodies,
    jsonBody: jsonBody(bodies),
    formBody: formBody(bodies),
    formGuard: refuseCrossSiteForms((origin) =>
      [...corsOrigins, people?.origin, new URL(baseUrl()).origin].includes(origin),
    ),
    urls: new DocumentUrls(baseUrl, urlSigner),
    validator: new InputValidator({
      passwordMinCharacters,
      passwordCheck,
      documentCheck,
      maxFileBytes,
      clock,
    }),
    uploadLimits: uploadLimits(config),
    uploadCapacity: new SharedCapacity({
      name: 'uploads',
      limits,
      retryAfterSeconds: UPLOAD_RETRY_AFTER_SECONDS,
    }),
    textMemory: createTextMemory(),
  };
}
