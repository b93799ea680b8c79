/** What the person who is signed in may do here; the server decides, this only keeps dead ends out of sight. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { meQuery } from '@/api/queries';
import { administers } from './roles';

export type Standing = {
  id: string | undefined;
  admin: boolean;
  policyAdmin: boolean;
  reviewer: boolean;
  /** Runs the installation, whatever the workspace. */
  operator: boolean;
};

type Person = Pick<Schemas['UserView'], 'id' | 'roles' | 'operator'>;

export function standingOf(person: Person | undefined): Standing {
  const has = (role: string) => person?.roles.includes(role) ?? false;
  return {
    id: person?.id,
    admin: person !== undefined && administers(person),
    policyAdmin: has('policy_admin'),
    reviewer: has('reviewer'),
    operator: person?.operator ?? false,
  };
}

export function useStanding(): Standing {
  return standingOf(useQuery(meQuery).data?.user);
}
