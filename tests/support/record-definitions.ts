import type { Db } from 'mongodb';
import type { Schema, SchemaType } from 'mongoose';
import { counterSchema } from '../../src/stores/ids.ts';
import { SCHEMAS } from '../../src/stores/indexes.ts';
import { overviewSchema } from '../../src/stores/overviews.ts';
import { schemaVersionSchema } from '../../src/stores/schema-version.ts';
import { secretSchema } from '../../src/stores/secrets.ts';
import { webhookSchema } from '../../src/stores/webhooks.ts';

type Definition = Pick<Schema, 'get' | 'paths'>;

const WITHOUT_INDEXES = [counterSchema, overviewSchema, schemaVersionSchema, secretSchema, webhookSchema];
const DEFINITIONS: readonly Definition[] = [...SCHEMAS, ...WITHOUT_INDEXES];
/** The driver's values by the names of Mongoose. */
const TYPES: Record<string, string> = {
  ...{ String: 'String', Number: 'Number', Long: 'Number', Boolean: 'Boolean', Date: 'Date' },
  ...{ ObjectId: 'ObjectId', Array: 'Array', Object: 'Embedded' },
};
/** Of each collection. */
const MAX_READ = 100;

let isCompared = true;

/** Call it in a file whose tests store records that no release of the gateway would. */
export const storesWrongRecords = (): void => {
  isCompared = false;
};

/** How the stored records differ from the definitions, without their values. */
export async function differencesIn(db: Db): Promise<string[]> {
  const found = (isCompared ? DEFINITIONS : []).map(async (definition) => {
    const name = String(definition.get('collection'));
    const records = await db.collection(name).find().limit(MAX_READ).toArray();
    return records.flatMap((record) => differencesOf(record, definition, name));
  });
  return [...new Set((await Promise.all(found)).flat())];
}

function differencesOf(record: object, { paths }: Pick<Definition, 'paths'>, name: string): string[] {
  const unknown = Object.keys(record).filter((field) => !Object.hasOwn(paths, field));
  return [
    ...unknown.map((field) => `${name}.${field} has no definition`),
    ...Object.entries(paths).flatMap(([field, type]) =>
      differencesAt(Reflect.get(record, field), type, `${name}.${field}`),
    ),
  ];
}

function differencesAt(value: unknown, type: SchemaType, name: string): string[] {
  if (value === undefined || value === null) {
    const isMissing = type.isRequired || (value === undefined && type.options.default === null);
    return isMissing ? [`${name} is ${value}`] : [];
  }
  if (type.instance !== 'Mixed' && type.instance !== TYPES[value.constructor.name]) {
    return [`${name} is no ${type.instance}`];
  }
  const parts: Definition | undefined = Reflect.get(type, 'schema');
  const item: SchemaType | undefined = Reflect.get(type, 'embeddedSchemaType');
  return [value].flat().flatMap((each) => {
    const ofItem = item ? differencesAt(each, item, name) : [];
    return parts ? differencesOf(Object(each), parts, name) : ofItem;
  });
}
