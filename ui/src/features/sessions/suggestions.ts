/** What the composer offers while a command is written: commands, then names of skills, then what a skill takes. */
import { useQuery } from '@tanstack/react-query';
import { api, call, type Schemas } from '@/api/client';
import { skillQuery } from '@/api/queries';
import { commands } from './commands';
import { through } from './queries';

type Suggestion = { value: string; label: string; about: string };

/** As the library spells names. */
const spelled = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Whether an offer would add nothing to what is typed. */
export const isTyped = (offer: Suggestion, text: string): boolean =>
  spelled(offer.value.trim()) === spelled(text.trim());

export function suggestionsFor(text: string, skills: Pick<Schemas['SkillView'], 'name' | 'description'>[]) {
  if (!text.startsWith('/') || text.includes('\n')) return [];
  const using = /^\/use\s+(\S*)$/.exec(text);
  if (using) {
    const typed = spelled(using[1] ?? '');
    // What is typed whole comes first, then what begins with it.
    const rank = (name: string) => (name === typed ? 0 : name.startsWith(typed) ? 1 : 2);
    return skills
      .filter(({ name }) => name.includes(typed))
      .sort((one, other) => rank(one.name) - rank(other.name))
      .slice(0, 8)
      .map(
        (skill): Suggestion => ({
          value: `/use ${skill.name} `,
          label: skill.name,
          about: skill.description,
        }),
      );
  }
  if (/\s/.test(text)) return [];
  return commands
    .filter(({ word }) => word.startsWith(text.toLowerCase()))
    .map(
      (command): Suggestion => ({
        value: command.takes ? `${command.word} ` : command.word,
        label: `${command.word} ${command.takes}`.trim(),
        about: command.about,
      }),
    );
}

/** The skills that can be used through an agent. */
function useUsable(agent: string | undefined, wanted: boolean) {
  return useQuery({
    queryKey: ['skills', 'usable', agent ?? ''],
    queryFn: async () => {
      const page = await call(
        api.GET('/api/v1/skills', {
          params: { query: { nearest: true, limit: 200 } },
          headers: through(agent),
        }),
      );
      return page.items as Schemas['SkillView'][];
    },
    enabled: wanted,
  }).data;
}

export function useSuggestions(text: string, agent: string | undefined) {
  const using = /^\/use\s/.test(text);
  const skills = useUsable(agent, using) ?? [];
  const named = /^\/use\s+(\S+)\s/.exec(text)?.[1];
  const meant = named ? skills.find(({ name }) => name === spelled(named)) : undefined;
  const detail = useQuery({ ...skillQuery(meant?.id ?? ''), enabled: Boolean(meant) }).data;
  return { offered: suggestionsFor(text, skills), takes: detail ? takesOf(detail) : '' };
}

/** What a skill takes, in a line. */
export function takesOf(skill: Pick<Schemas['SkillDetailView'], 'procedure'>): string {
  if (!skill.procedure) return 'It has nothing to run: using it gives its instructions.';
  const told = skill.procedure.parameters.map((parameter) => {
    const value = parameter.default == null ? '' : ` = ${JSON.stringify(parameter.default)}`;
    return `${parameter.name}: ${parameter.type}${value}`;
  });
  return told.length ? `It takes ${told.join(', ')}` : 'It takes no values.';
}
