/** What the roles of a person mean; the server decides. */
import type { Schemas } from '@/api/client';

type Person = Pick<Schemas['UserView'], 'roles' | 'operator'>;

export const administers = (person: Person): boolean => person.operator || person.roles.includes('admin');

/** Whether somebody lets skills into shared scopes. */
export const reviews = (person: Person): boolean => administers(person) || person.roles.includes('reviewer');
