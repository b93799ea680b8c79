/** The skills assigned to an agent: their order, their pins, and the picker that adds to them. */
import { Alert, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconBulb, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { Empty } from '@/components/page';
import { SkillPicker } from '@/components/pickers';
import type { TabProps } from './AgentEditor';
import { AssignedSkill } from './AssignedSkill';
import classes from './agents.module.css';
import { moved } from './draft';

export function SkillsTab({ draft, change, locked }: TabProps) {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const [said, setSaid] = useState('');
  const { skills } = draft;

  const move = (from: number, to: number, name?: string) => {
    if (to < 0 || to >= skills.length || from === to) return;
    change({ skills: moved(skills, from, to) });
    setSaid(`${name ?? 'Moved'}: now at place ${to + 1} of ${skills.length}`);
  };
  const drop = () => {
    if (dragged !== undefined && over !== undefined) move(dragged, over);
    setDragged(undefined);
    setOver(undefined);
  };

  return (
    <Stack gap="md" maw="56rem">
      <Alert icon={<IconInfoCircle size={18} />} color="gray" py="xs">
        <Text size="sm">
          Skills are synced to providers via the Skills section. Only synced skills will be available at
          runtime.
        </Text>
        <Text size="sm" c="dimmed" mt={4}>
          No connection to a provider is configured. Over MCP and the API, assigned skills are available at
          once.
        </Text>
      </Alert>
      {!locked && (
        <SkillPicker
          exclude={skills.map((skill) => skill.skill_id)}
          onPick={(skill) => {
            change({ skills: [...skills, { skill_id: skill.id, pin: null }] });
            setSaid(`${skill.title || skill.name} added`);
          }}
        />
      )}
      {skills.length === 0 ? (
        <Empty icon={IconBulb} title="No skills assigned">
          Assigned skills come first in what the agent is told, in this order, and stay even when another
          skill fits better. The agent still discovers every other skill it can see.
        </Empty>
      ) : (
        <Stack gap="xs" component="ol" className={classes.list} aria-label="Assigned skills">
          {skills.map((assignment, place) => (
            <AssignedSkill
              key={assignment.skill_id}
              assignment={assignment}
              place={place}
              last={place === skills.length - 1}
              locked={locked}
              isOver={over === place && dragged !== place}
              move={(to, name) => move(place, to, name)}
              pin={(pin) =>
                change({ skills: skills.map((other, at) => (at === place ? { ...other, pin } : other)) })
              }
              remove={() => change({ skills: skills.filter((_, at) => at !== place) })}
              drag={{
                onDragStart: () => setDragged(place),
                onDragOver: (event) => {
                  event.preventDefault();
                  setOver(place);
                },
                onDrop: (event) => {
                  event.preventDefault();
                  drop();
                },
                onDragEnd: () => {
                  setDragged(undefined);
                  setOver(undefined);
                },
              }}
            />
          ))}
        </Stack>
      )}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Stack>
  );
}
