import { createServer, type Server, type Socket } from 'node:net';
import { debug } from '../base/debug.ts';
import type { Engine } from '../commands/command.ts';
import { runCommand } from '../commands/dispatch.ts';
import { MessageReader, parseMessage, writeReply } from './wire.ts';

/** The engine is for this machine's own processes: it has no authentication, so nothing else may reach it. */
const HOST = '127.0.0.1';

/** The loopback socket that drivers connect to. */
export class WireServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private lastConnection = 0;
  private lastReply = 0;

  constructor(private readonly engine: Engine) {
    this.server = createServer({ noDelay: true }, (socket) => void this.serve(socket));
  }

  /** @returns the port; rejects when it is taken */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: HOST, port }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** One connection: its messages are answered one after the other. Whatever is no message ends it. */
  private async serve(socket: Socket): Promise<void> {
    const connectionId = ++this.lastConnection;
    const reader = new MessageReader();
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    try {
      for await (const chunk of socket) {
        for (const message of reader.push(chunk)) await this.answer(socket, message, connectionId);
      }
    } catch (error) {
      debug('connection %d closed: %o', connectionId, error);
    }
    socket.destroy();
  }

  private async answer(socket: Socket, message: Buffer, connectionId: number): Promise<void> {
    const request = parseMessage(message);
    const reply = await runCommand(this.engine, request.command, connectionId);
    if (!request.moreToCome && !socket.destroyed) socket.write(writeReply(request, reply, ++this.lastReply));
  }
}
