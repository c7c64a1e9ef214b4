import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const ACCEPTED = 'net.server.socket';

/**
 * Finds the server's end of the next connection to an app in this process. So a test can wait for what the server has read
 * or closed, instead of waiting for some time.
 * @param url of the app
 */
export function nextServerSocket(url: string): Promise<Socket> {
  const port = Number(new URL(url).port);
  return new Promise((resolve) => {
    const onAccepted = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      if (socket.localPort !== port) {
        return;
      }
      unsubscribe(ACCEPTED, onAccepted);
      resolve(socket);
    };
    subscribe(ACCEPTED, onAccepted);
  });
}

/** Waits until the server has closed its end of a connection. */
export async function closedByServer(accepted: Promise<Socket>): Promise<void> {
  const socket = await accepted;
  // Not `once` of node:events: it throws if the connection was reset.
  if (!socket.closed) {
    await new Promise((resolve) => socket.once('close', resolve));
  }
}
