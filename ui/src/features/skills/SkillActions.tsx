/** Everything that can be done with a skill as a whole. */
import { ActionIcon, Menu } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconArchive,
  IconArrowBackUp,
  IconArrowUpCircle,
  IconCheck,
  IconCopy,
  IconDots,
  IconDownload,
  IconSend,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '@/api/client';
import { useNames } from '@/components/names';
import { widerScopes } from '@/components/wider';
import { DuplicateForm } from './Duplicate';
import { bundleAddress, downloadFrom } from './download';
import type { useLifecycle } from './lifecycle';
import type { Rights } from './rights';
import { scopeWords } from './scopes';
import type { Skill } from './useSkill';

type Props = {
  skill: Skill;
  me: Schemas['MeView'];
  rights: Rights;
  life: ReturnType<typeof useLifecycle>;
};

export function SkillActions({ skill, me, rights, life }: Props) {
  const names = useNames();
  const navigate = useNavigate();
  // Dialogs stand outside of the router.
  const open = (skillId: string) => navigate({ to: '/skills/$skillId', params: { skillId } });
  const { status } = skill;
  const waits = status === 'draft' || status === 'pending_approval' || Boolean(skill.promotion);
  const wider =
    rights.promote && !skill.promotion && status === 'active' ? widerScopes(skill.scope.kind) : [];
  const size = 16;
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {status === 'draft' && rights.edit && (
          <Menu.Item leftSection={<IconSend size={size} />} onClick={() => void life.step('submit')}>
            Submit for review
          </Menu.Item>
        )}
        {waits && rights.approve && (
          <Menu.Item leftSection={<IconCheck size={size} />} onClick={() => void life.step('approve')}>
            Approve
          </Menu.Item>
        )}
        {waits && rights.reject && (
          <Menu.Item leftSection={<IconX size={size} />} onClick={() => void life.step('reject')}>
            Reject…
          </Menu.Item>
        )}
        {wider.map((to) => {
          const words = scopeWords({ ...skill.scope, kind: to }, names);
          return (
            <Menu.Item
              key={to}
              leftSection={<IconArrowUpCircle size={size} />}
              onClick={() => void life.promote(to, words)}
            >
              Promote to {words}…
            </Menu.Item>
          );
        })}
        <Menu.Item
          leftSection={<IconCopy size={size} />}
          onClick={() =>
            modals.open({
              modalId: 'duplicate',
              title: 'Duplicate',
              children: <DuplicateForm skill={skill} open={open} />,
            })
          }
        >
          Duplicate…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={size} />}
          onClick={() => void downloadFrom(bundleAddress(skill.id), `${skill.name}.zip`)}
        >
          Export as zip
        </Menu.Item>
        {(rights.archive || rights.remove) && <Menu.Divider />}
        {rights.archive && (status === 'archived' || status === 'rejected') && (
          <Menu.Item leftSection={<IconArrowBackUp size={size} />} onClick={() => void life.step('reopen')}>
            Reopen as a draft
          </Menu.Item>
        )}
        {rights.archive && status !== 'archived' && (
          <Menu.Item leftSection={<IconArchive size={size} />} onClick={() => void life.step('archive')}>
            Archive
          </Menu.Item>
        )}
        {rights.remove && (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={size} />}
            onClick={() => void life.remove(me.workspace.undelete_window_hours)}
          >
            Delete{me.workspace.undelete_window_hours === 0 ? '…' : ''}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
