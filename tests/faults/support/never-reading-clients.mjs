import { connect } from 'node:net';

/**
 * Opens many connections, sends the same bytes on each, and never reads the answers. It prints a line when all bytes are sent,
 * and then runs until it is ended.
 */
const [host, port, count, base64 = ''] = process.argv.slice(2);
const bytes = Buffer.from(base64, 'base64');
let sent = 0;
for (let i = 0; i < Number(count); i += 1) {
  const socket = connect({ host, port: Number(port) }, () => {
    socket.pause();
    socket.write(bytes, () => {
      sent += 1;
      if (sent === Number(count)) {
        process.stdout.write('sent\n');
      }
    });
  });
  socket.pause();
  socket.on('error', () => {});
}

// Connections without a reader do not keep a process running.
setInterval(() => {}, 60_000);
