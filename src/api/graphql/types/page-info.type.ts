import 'reflect-metadata';
import { Field, ObjectType } from 'type-graphql';

/** https://relay.dev/graphql/connections.htm */
@ObjectType('PageInfo', { description: 'Where a page of a list is.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are more items after `endCursor`.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether the page begins behind a cursor.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first item.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor after which the next page begins.' })
  endCursor!: string | null;
}
