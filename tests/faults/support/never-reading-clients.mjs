import { connect } from 'node:net';

/**
 * Opens many connections, sends the same bytes on each, and never reads what comes back. A line on standard output tells
 * when all have been sent; then it stays until it is ended.
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

// Connections that nobody reads from do not keep a process going.
setInterval(() => {}, 60_000);
