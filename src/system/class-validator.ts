import { createRequire } from 'node:module';

/**
 * The parts of class-validator that the gateway uses. Importing the whole package also loads a hundred other validators and the
 * numbering plans of all countries, which takes a tenth of the time of a start.
 */
type ClassValidator = typeof import('class-validator');

const require = createRequire(import.meta.url);
const part = <Name extends keyof ClassValidator>(file: string): Pick<ClassValidator, Name> =>
  require(`class-validator/cjs/${file}.js`) as Pick<ClassValidator, Name>;

export const { isEmail } = part<'isEmail'>('decorator/string/IsEmail');
export const { Allow } = part<'Allow'>('decorator/common/Allow');
export const { IsDefined } = part<'IsDefined'>('decorator/common/IsDefined');
export const { IsOptional } = part<'IsOptional'>('decorator/common/IsOptional');
export const { IsString } = part<'IsString'>('decorator/typechecker/IsString');
export const { ValidateBy } = part<'ValidateBy'>('decorator/common/ValidateBy');
export const { ValidateIf } = part<'ValidateIf'>('decorator/common/ValidateIf');
export const { getMetadataStorage } = part<'getMetadataStorage'>('metadata/MetadataStorage');
export const { Validator } = part<'Validator'>('validation/Validator');
