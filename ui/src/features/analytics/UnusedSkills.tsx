/** Skills that nobody used, and the broom: archive many at once, with a way back. */
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { IconArchive } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, messageOf, type Schemas } from '@/api/client';
import { refresh, skillsQuery } from '@/api/queries';
import { failed, told } from '@/components/feedback';
import { Section } from '@/components/Section';
import { useStanding } from '@/components/standing';
import { ago, counted } from '@/components/time';
import classes from './analytics.module.css';
import { SkillName } from './SkillName';

type Unused = Schemas['UnusedSkillView'];

export function UnusedSkills({ skills, span }: { skills: Unused[]; span: number }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const may = useMayArchive();
  const offered = skills.filter((skill) => may(skill.skill_id));
  const picked = offered.filter((skill) => chosen.includes(skill.skill_id));

  const archive = async () => {
    setBusy(true);
    const { done, refused } = await each(picked, (id) =>
      call(
        api.POST('/api/v1/skills/{id}/archive', {
          params: { path: { id } },
          body: { reason: `unused for ${span} days` },
        }),
      ),
    );
    setBusy(false);
    setChosen([]);
    await refresh('skills');
    if (done.length > 0) told(`${counted(done.length, 'skill')} archived`, () => bringBack(done));
    if (refused) failed(refused);
  };

  return (
    <Section
      title="Unused"
      about={`Active skills without a use in these ${span} days, the longest unused first. Each costs room in every agent's list.`}
      actions={
        picked.length > 0 && (
          <Button
            size="xs"
            leftSection={<IconArchive size={16} />}
            loading={busy}
            onClick={() => void archive()}
          >
            Archive {picked.length}
          </Button>
        )
      }
    >
      {skills.length === 0 ? (
        <Text size="sm" c="dimmed">
          Every active skill was used.
        </Text>
      ) : (
        <>
          {offered.length > 0 && (
            <Checkbox
              size="xs"
              label={
                offered.length < skills.length
                  ? `All ${offered.length} of yours`
                  : `All ${skills.length}${skills.length === 50 ? ' shown' : ''}`
              }
              checked={picked.length === offered.length}
              indeterminate={picked.length > 0 && picked.length < offered.length}
              onChange={(event) =>
                setChosen(event.currentTarget.checked ? offered.map((skill) => skill.skill_id) : [])
              }
            />
          )}
          <ul className={classes.unused} aria-label="Unused skills">
            {skills.map((skill) => (
              <li key={skill.skill_id}>
                <Group gap="sm" wrap="nowrap">
                  {may(skill.skill_id) && (
                    <Checkbox
                      size="xs"
                      aria-label={`Choose ${skill.title || skill.name}`}
                      checked={chosen.includes(skill.skill_id)}
                      onChange={(event) => {
                        const on = event.currentTarget.checked;
                        setChosen((before) =>
                          on ? [...before, skill.skill_id] : before.filter((id) => id !== skill.skill_id),
                        );
                      }}
                    />
                  )}
                  <SkillName skill={skill} to="/skills/$skillId" />
                  <Text size="sm" c="dimmed" className={classes.figure}>
                    {skill.last_used_at ? `used ${ago(skill.last_used_at)}` : 'never used'}
                    {!skill.last_used_at && (
                      <Text span inherit visibleFrom="sm">
                        , made {ago(skill.created_at)}
                      </Text>
                    )}
                  </Text>
                </Group>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

/** Which of them a person may put away: reviewers those of all, members their own. */
function useMayArchive(): (id: string) => boolean {
  const { id, admin, reviewer } = useStanding();
  const all = admin || reviewer;
  const own = useInfiniteQuery({
    ...skillsQuery({ user: id, status: 'active' }),
    enabled: Boolean(id) && !all,
  });
  const ids = new Set(own.data?.pages.flatMap(({ items }) => items.map((skill) => skill.id)));
  return (skill) => all || ids.has(skill);
}

/** Does the same to each, and says what was refused with one reason. */
async function each(skills: Unused[], act: (id: string) => Promise<unknown>) {
  const done: Unused[] = [];
  let refused: Error | undefined;
  for (const skill of skills) {
    try {
      await act(skill.skill_id);
      done.push(skill);
    } catch (error) {
      refused = new Error(`${skill.title || skill.name}: ${messageOf(error)}`);
    }
  }
  return { done, refused };
}

/** What was archived comes back as a draft, and is approved again to be what it was. */
async function bringBack(skills: Unused[]): Promise<void> {
  const { refused } = await each(skills, async (id) => {
    await call(api.POST('/api/v1/skills/{id}/reopen', { params: { path: { id } } }));
    await call(api.POST('/api/v1/skills/{id}/approve', { params: { path: { id } } }));
  });
  await refresh('skills');
  if (refused) throw refused;
}
