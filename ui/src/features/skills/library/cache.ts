/** Shows a change at once, wherever the skill is shown: in lists, among hits and on its page. */
import { type InfiniteData, useMutation } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import { queryClient, refresh } from '@/api/queries';
import { failed, told } from '@/components/feedback';

type Skill = Schemas['SkillView'];
type Page = { items: Skill[] };
type Hits = { items: { skill: Skill }[] };

function changed(data: unknown, id: string, change: Partial<Skill>): unknown {
  if (!data || typeof data !== 'object') return data;
  if ('pages' in data) {
    const { pages } = data as InfiniteData<Page>;
    return { ...data, pages: pages.map((page) => changed(page, id, change)) };
  }
  if ('items' in data && Array.isArray(data.items)) {
    const items = (data as Page | Hits).items;
    // Most pages do not have it: they stay the very same, so that nothing of them is drawn again.
    const at = items.findIndex((item) => ('skill' in item ? item.skill.id : item.id) === id);
    const found = items[at];
    if (!found) return data;
    const next =
      'skill' in found ? { ...found, skill: { ...found.skill, ...change } } : { ...found, ...change };
    return { ...data, items: items.with(at, next as never) };
  }
  return 'id' in data && data.id === id ? { ...data, ...change } : data;
}

export function patchSkill(id: string, change: Partial<Skill>): void {
  queryClient.setQueriesData({ queryKey: ['skills'] }, (data: unknown) => changed(data, id, change));
}

export function switchSkill(id: string, enabled: boolean): Promise<Schemas['ReviewedView']> {
  const params = { params: { path: { id } } };
  return call(
    enabled
      ? api.POST('/api/v1/skills/{id}/enable', params)
      : api.POST('/api/v1/skills/{id}/disable', params),
  );
}

/** Turns a skill on or off: shown at once, taken back when the server refuses. */
export function useSwitch() {
  return useMutation({
    mutationFn: ({ skill, enabled }: { skill: Skill; enabled: boolean }) => switchSkill(skill.id, enabled),
    onMutate: async ({ skill, enabled }) => {
      await queryClient.cancelQueries({ queryKey: ['skills', 'list'] });
      patchSkill(skill.id, { enabled });
    },
    onError: (error, { skill, enabled }) => {
      patchSkill(skill.id, { enabled: !enabled });
      failed(error);
    },
    onSuccess: ({ skill }, { enabled }) => {
      patchSkill(skill.id, skill);
      told(`${skill.title || skill.name} is ${enabled ? 'on' : 'off'}`, async () => {
        patchSkill(skill.id, (await switchSkill(skill.id, !enabled)).skill);
      });
    },
    onSettled: () => refresh('skills'),
  });
}
