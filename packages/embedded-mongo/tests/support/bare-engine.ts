import type { Document } from 'bson';
import { runCommand } from '../../src/commands/run-command.ts';
import type { Engine } from '../../src/commands/support/command.ts';
import { CursorRegistry } from '../../src/query/cursors.ts';
import { Catalog } from '../../src/storage/catalog.ts';
import { Store } from '../../src/storage/store.ts';

/** An engine in memory without a socket, whose work a test can count. */
export function openBareEngine() {
  const store = Store.open(':memory:');
  const engine: Engine = {
    store,
    catalog: new Catalog(store),
    cursors: new CursorRegistry(),
    startedAt: 0,
    connections: { current: 0, totalCreated: 0 },
  };
  const run = (command: Document) => runCommand(engine, { ...command, $db: 'test' }, 1);
  return { engine, run, close: () => store.close() };
}
