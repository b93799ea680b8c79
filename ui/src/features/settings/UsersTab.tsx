import { Page } from '@/components/page';

export default function UsersTab() {
  return <Page title="UsersTab">…</Page>;
}
