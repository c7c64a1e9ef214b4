/**
 * Loaded before a gateway. After a SIGUSR2 it waits for the moment in TEST_KILL_AT and then kills the gateway, like
 * kill -9. `sent insert accounts 20` is the twentieth such command to its database:
 *
 * - `sent`: the command has just been sent, and the database has hardly begun it.
 * - `answered`: the command is done, and its answer has arrived but was not read.
 * - `moved document uploaded 20`: the twentieth document has just been moved to its place.
 * - `removed document stored 2`: the second document has just been removed from its place.
 * - `touched document orphan 2`: the time of the second orphan has just been changed, before the sweep moves it.
 *
 * With TEST_KILL_ARMED=on it does not wait for the signal, so the moment may be in the work of the start.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { parseMessage } from '@auth-gateway/embedded-mongo/wire';

/** MongoDB's wire protocol: the offset of the opcode, and the opcode of a command. */
const OP_CODE_AT = 12;
const OP_MSG = 2013;

const [when, name, what, nth] = (process.env.TEST_KILL_AT ?? '').split(' ');
let left = Number(nth);
let isArmed = process.env.TEST_KILL_ARMED === 'on';

const die = () => process.kill(process.pid, 'SIGKILL');
const isTheOne = () => {
  if (isArmed) {
    left -= 1;
  }
  return isArmed && left === 0;
};

function isCommand(data) {
  if (!Buffer.isBuffer(data) || data.length < 26 || data.readInt32LE(OP_CODE_AT) !== OP_MSG) {
    return false;
  }
  const [[command, collection] = []] = Object.entries(parseMessage(data).command);
  return command === name && collection === what;
}

function killAtCommand() {
  const { write } = Socket.prototype;
  Socket.prototype.write = function writeOrDie(data, ...rest) {
    if (!isCommand(data) || !isTheOne()) {
      return write.call(this, data, ...rest);
    }
    if (when === 'answered') {
      this.prependOnceListener('data', die);
    }
    const written = write.call(this, data, ...rest);
    if (when !== 'answered') {
      die();
    }
    return written;
  };
}

/** @param name the function of the file system that moves or removes a document */
function killAfter(name) {
  const { [name]: act } = fs.promises;
  fs.promises[name] = async (...args) => {
    await act(...args);
    // An erasure looks into the trash as well.
    const isOfTrash = name === 'rm' && String(args[0]).includes('/.trash/');
    if (!isOfTrash && isTheOne()) {
      die();
    }
  };
  syncBuiltinESMExports();
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    isArmed = true;
  });
  const functions = { moved: 'rename', removed: 'rm', touched: 'utimes' };
  if (Object.hasOwn(functions, when)) {
    killAfter(functions[when]);
  } else {
    killAtCommand();
  }
}
