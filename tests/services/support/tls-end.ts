import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { listenOnFreePort } from '../../support/listen.ts';

/** Where a test speaks plain HTTP to a server that has TLS. */
export interface TlsEnd {
  url: string;
  stop(): Promise<void>;
}

/**
 * Opens a port on loopback that passes everything on to a port with TLS, so that tests need no TLS of their own.
 * @param ca the certificate that the server's must be signed by, in PEM; a connection to another server is closed
 */
export async function openTlsEnd(port: number, ca: string): Promise<TlsEnd> {
  const open = new Set<Socket>();
  const end = createServer((plain) => {
    open.add(plain);
    plain.on('close', () => open.delete(plain));
    const secure = connect({ host: '127.0.0.1', port, ca });
    plain.pipe(secure).pipe(plain);
    plain.on('error', () => secure.destroy());
    secure.on('error', () => plain.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listenOnFreePort(end)}`,
    async stop() {
      end.close();
      for (const plain of open) {
        plain.destroy();
      }
      await once(end, 'close');
    },
  };
}
