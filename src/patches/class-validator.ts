// class-validator 0.15: only the parts of it that the gateway uses, by the paths of its files, which it does not promise to keep.
//
// Why: an import of the package loads all of its hundred validators, which takes a tenth of the time of a start.
// It can go when tests/unit/patches/class-validator.test.ts fails, because the package then loads little by itself.
import { createRequire } from 'node:module';

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
