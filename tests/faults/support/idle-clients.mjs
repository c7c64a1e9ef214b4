import { connect } from 'node:net';

/**
 * Opens many connections from one address and sends nothing on them. It prints a line when all are open or refused, and another
 * when the other side has closed the last one.
 */
const [host, port, localAddress, count] = process.argv.slice(2);
const total = Number(count);
/** How many are opened at a time, because the queue of connections to accept is short. */
const AT_ONCE = 100;

let begun = 0;
let open = 0;
let settled = 0;
let closed = 0;

function openNext() {
  if (begun === total) {
    return;
  }
  begun += 1;
  let isSettled = false;
  const settle = () => {
    if (isSettled) {
      return;
    }
    isSettled = true;
    settled += 1;
    if (settled === total) {
      process.stdout.write(`open ${open}\n`);
    }
    openNext();
  };
  const socket = connect({ host, port: Number(port), localAddress }, () => {
    open += 1;
    settle();
  });
  socket.on('error', () => {});
  socket.resume();
  socket.once('close', () => {
    settle();
    closed += 1;
    if (closed === total) {
      process.stdout.write('closed\n');
    }
  });
}

for (let i = 0; i < AT_ONCE; i += 1) {
  openNext();
}
