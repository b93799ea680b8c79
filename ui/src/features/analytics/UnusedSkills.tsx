/** Skills that nobody used, and the broom: archive many at once, with a way back. */
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { IconArchive } from '@tabler/icons-react';
import { useState } from 'react';
import { api, call, messageOf, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { failed, told } from '@/components/feedback';
import { Section } from '@/components/Section';
import { ago, counted } from '@/components/time';
import classes from './analytics.module.css';
import { SkillName } from './SkillName';

type Unused = Schemas['UnusedSkillView'];

export function UnusedSkills({ skills, span }: { skills: Unused[]; span: number }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const picked = skills.filter((skill) => chosen.includes(skill.skill_id));

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
          <Checkbox
            size="xs"
            label={`All ${skills.length}${skills.length === 50 ? ' shown' : ''}`}
            checked={picked.length === skills.length}
            indeterminate={picked.length > 0 && picked.length < skills.length}
            onChange={(event) =>
              setChosen(event.currentTarget.checked ? skills.map((skill) => skill.skill_id) : [])
            }
          />
          <ul className={classes.unused} aria-label="Unused skills">
            {skills.map((skill) => (
              <li key={skill.skill_id}>
                <Group gap="sm" wrap="nowrap">
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
                  <SkillName skill={skill} to="/skills/$skillId" />
                  <Text size="sm" c="dimmed" className={classes.figure}>
                    {skill.last_used_at
                      ? `used ${ago(skill.last_used_at)}`
                      : `never used, made ${ago(skill.created_at)}`}
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
