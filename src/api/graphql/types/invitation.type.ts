import 'reflect-metadata';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { Invitation } from '../../../auth/admin/invitation-admin.ts';
import { INVITED_ROLES, type InvitedRole } from '../../../stores/roles.ts';

registerEnumType(INVITED_ROLES, {
  name: 'InvitedRole',
  description: 'The role of an invitation.',
  valuesConfig: {
    DOCTOR: { description: 'Registers with a profile and three documents.' },
    PATIENT: { description: 'Registers with account details only.' },
  },
});

@ObjectType('Invitation', { description: 'Whom an invitation is for.' })
export class InvitationType implements Omit<Invitation, 'id'> {
  @Field(() => String, { description: 'The e-mail address that is invited.' })
  email!: string;

  @Field(() => INVITED_ROLES, { description: 'Doctor or patient.' })
  role!: InvitedRole;

  @Field(() => String, { description: 'The name of the person. The registration may have another one.' })
  name!: string;

  @Field(() => Date, { description: 'Until when it can be used, if it is not used before.' })
  expiresAt!: Date;
}

@ObjectType('OpenInvitation', { description: 'An invitation of somebody who has not registered.' })
export class OpenInvitationType extends InvitationType implements Invitation {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;
}
