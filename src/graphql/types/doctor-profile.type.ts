import { Field, ObjectType } from 'type-graphql';
import type { ProfileView } from '../../http/present-profile.ts';
import {
  OPTIONAL_TEXTS,
  PROFILE_TEXTS,
  type ProfileTextName,
  REQUIRED_TEXTS,
} from '../../models/profile-texts.ts';

/** Adds texts of the profile to the type, after its existing fields. */
const TextFields =
  (names: readonly ProfileTextName[]): ClassDecorator =>
  ({ prototype }) => {
    for (const name of names) {
      const { isRequired, description } = PROFILE_TEXTS[name];
      Field(() => String, { nullable: !isRequired, description: `${description}.` })(prototype, name);
    }
  };

@ObjectType('DoctorProfile', { description: "A doctor's practice and documents." })
@TextFields(OPTIONAL_TEXTS)
export class DoctorProfileType implements Omit<ProfileView, ProfileTextName> {
  static {
    // Runs before the decorators below.
    TextFields(REQUIRED_TEXTS)(DoctorProfileType);
  }

  @Field(() => String, { description: 'Where the license can be fetched; an absolute URL.' })
  licenseFileUrl!: string;

  @Field(() => String, { description: 'Where the diploma can be fetched; an absolute URL.' })
  diplomaFileUrl!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Where the certification can be fetched; an absolute URL. Null if a legacy service had none.',
  })
  certificationUrl!: string | null;
}
