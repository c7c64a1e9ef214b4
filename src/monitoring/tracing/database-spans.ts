import { type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Connection } from 'mongoose';
import { collectionOf } from '../../database/command-target.ts';
import type { TraceContext } from './trace-context.ts';

/**
 * Spans of the database commands of requests, by OpenTelemetry's semantic conventions for MongoDB (1.33). They have neither
 * the text of a command nor that of an error: both contain values.
 *
 * The commands of the gateway's own work, such as its sweep and its probes, have no spans. A command that several requests
 * share, such as a batch of audit events, has one in the trace of one of them.
 * @param connection opened with `monitorCommands`; otherwise there are no spans
 */
export function watchDatabase(tracer: Tracer, context: TraceContext, connection: Connection): void {
  const running = new Map<number, Span>();
  const take = (requestId: number): Span | undefined => {
    const span = running.get(requestId);
    running.delete(requestId);
    return span;
  };
  connection
    .getClient()
    .on('commandStarted', ({ requestId, commandName, command, databaseName, address }) => {
      const parent = context.recorded;
      if (!parent) {
        return;
      }
      const collection = collectionOf(command, commandName);
      const attributes = {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        'db.collection.name': collection,
        ...addressOf(address),
      };
      const name = collection === undefined ? commandName : `${commandName} ${collection}`;
      running.set(requestId, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent));
    })
    .on('commandSucceeded', ({ requestId }) => take(requestId)?.end())
    .on('commandFailed', ({ requestId, failure }) => {
      const span = take(requestId);
      span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.setAttributes(failureOf(failure));
      span?.end();
    });
}

/** @param address `host:port`, where the host may be an IPv6 address in brackets */
function addressOf(address: string) {
  const colon = address.lastIndexOf(':');
  return {
    'server.address': address.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
    'server.port': Number(address.slice(colon + 1)),
  };
}

/** The server's code, or the name of the driver's error. */
function failureOf(failure: Error) {
  const code = 'code' in failure && typeof failure.code === 'number' ? String(failure.code) : undefined;
  return { 'error.type': code ?? failure.name, 'db.response.status_code': code };
}
