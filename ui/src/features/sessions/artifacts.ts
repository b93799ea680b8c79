/** What a conversation shows a person about a skill, and the skill it speaks of as it is now. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, api, call, type Schemas } from '@/api/client';
import { agentsQuery, queryClient, usersQuery } from '@/api/queries';

type ArtifactType = 'skill_saved' | 'skill_used' | 'skill_proposal';

export type Artifact = {
  id: string;
  title: string;
  type: ArtifactType;
  filepath: string;
  metadata: {
    skill_name: string;
    skill_description: string;
    skill_code: string;
    skill_status: string;
    agent_object_id?: string | null;
    user_id?: string | null;
    execution_count?: number;
    success_rate?: number;
  };
};

const types: string[] = ['skill_saved', 'skill_used', 'skill_proposal'] satisfies ArtifactType[];

/** The artifact in an entry's data; null where there is none that can be shown. */
export function readArtifact(data: unknown): Artifact | null {
  const found = data as Partial<Artifact> | null | undefined;
  const whole =
    found &&
    types.includes(found.type ?? '') &&
    typeof found.filepath === 'string' &&
    typeof found.metadata?.skill_name === 'string';
  return whole ? (found as Artifact) : null;
}

/** The name of a skill in the library: its author may have written it with underscores or capitals. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

type Owned = Pick<Schemas['SkillView'], 'scope'>;

/** Of the skills of a name, the one that an artifact's owners have; else what became of it in a wider scope. */
export function ownedBy<T extends Owned>(
  skills: T[],
  agent: string | undefined,
  user: string | undefined,
): T | undefined {
  const fits = skills.filter(
    ({ scope }) =>
      (!scope.agent_id || scope.agent_id === agent) && (!scope.user_id || scope.user_id === user),
  );
  const nearness = ({ scope }: T) => (scope.user_id ? 2 : 0) + (scope.agent_id ? 1 : 0);
  return fits.sort((one, other) => nearness(other) - nearness(one))[0];
}

/** The skill as it is now; null where it was removed. */
export const artifactSkillQuery = ({ filepath, metadata }: Artifact) =>
  queryOptions({
    queryKey: ['skills', 'artifact', filepath],
    queryFn: async () => {
      const [agents, users, named] = await Promise.all([
        queryClient.ensureQueryData(agentsQuery),
        queryClient.ensureQueryData(usersQuery),
        call(
          api.GET('/api/v1/skills', {
            params: { query: { name: slugOf(metadata.skill_name), limit: 200 } },
          }),
        ),
      ]);
      const agentName = metadata.agent_object_id?.split('/').pop();
      const found = ownedBy(
        named.items as Schemas['SkillView'][],
        agents.find(({ name }) => name === agentName)?.id,
        users.items.find(({ handle }) => handle === metadata.user_id)?.id,
      );
      if (!found) return null;
      try {
        return await call(api.GET('/api/v1/skills/{id}', { params: { path: { id: found.id } } }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
