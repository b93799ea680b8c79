/** What the person who is signed in may do here; the server decides, this only keeps dead ends out of sight. */
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '@/api/queries';

export type Standing = {
  id: string | undefined;
  admin: boolean;
  policyAdmin: boolean;
  reviewer: boolean;
  /** Runs the installation, whatever the workspace. */
  operator: boolean;
};

export function useStanding(): Standing {
  const me = useQuery(meQuery).data;
  const has = (role: string) => me?.user.roles.includes(role) ?? false;
  return {
    id: me?.user.id,
    admin: has('admin'),
    policyAdmin: has('policy_admin'),
    reviewer: has('reviewer'),
    operator: me?.user.operator ?? false,
  };
}
