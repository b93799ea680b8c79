"""The reads of the native API as an ordinary Python service: FastAPI, SQLAlchemy, SQLite, one worker.

It is given what our server answers, stores it in tables, and answers in the same shapes, with a token that is looked
up in the database on each request. The handlers run on the event loop: for reads of a local SQLite file that is faster
than handing each to a thread. Usage: fastapi_peer.py FOLDER
"""

import hashlib
import json
import socket
import sys
from pathlib import Path
from typing import Any, Optional

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel
from sqlalchemy import JSON, Boolean, Integer, String, Text, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

folder = Path(sys.argv[1])
engine = create_engine(
    f"sqlite:///{folder / 'peer.db'}", connect_args={"check_same_thread": False}, pool_size=16
)
Sessions = sessionmaker(engine)


class Base(DeclarativeBase):
    pass


class Token(Base):
    __tablename__ = "tokens"
    digest: Mapped[str] = mapped_column(String, primary_key=True)
    user: Mapped[str] = mapped_column(String)


class Skill(Base):
    __tablename__ = "skills"
    id: Mapped[str] = mapped_column(String, primary_key=True)
    name: Mapped[str] = mapped_column(String, index=True)
    title: Mapped[str] = mapped_column(String)
    description: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String)
    enabled: Mapped[bool] = mapped_column(Boolean)
    revision: Mapped[int] = mapped_column(Integer)
    tags: Mapped[Any] = mapped_column(JSON)
    example_prompts: Mapped[Any] = mapped_column(JSON)
    rest: Mapped[Any] = mapped_column(JSON)
    instructions: Mapped[str] = mapped_column(Text)
    skill_file: Mapped[str] = mapped_column(Text)


class SkillView(BaseModel):
    id: str
    name: str
    title: str
    description: str
    status: str
    enabled: bool
    revision: int
    tags: list[str]
    example_prompts: list[str]
    rest: dict[str, Any]


class SkillDetailView(SkillView):
    instructions: str
    skill_file: str


class PageView(BaseModel):
    items: list[SkillView]
    next_cursor: Optional[str]


def seed() -> None:
    Base.metadata.create_all(engine)
    items = json.loads((folder / "list.json").read_text())["items"]
    detail = json.loads((folder / "detail.json").read_text())
    columns = {"id", "name", "title", "description", "status", "enabled", "revision", "tags", "example_prompts"}
    with Sessions.begin() as session:
        session.add(Token(digest=hashlib.sha256(b"bench").hexdigest(), user="admin"))
        for item in items:
            row = {key: value for key, value in item.items() if key in columns}
            rest = {key: value for key, value in item.items() if key not in columns}
            session.add(
                Skill(**row, rest=rest, instructions=detail["instructions"], skill_file=detail["skill_file"])
            )


async def session():
    with Sessions() as opened:
        yield opened


async def caller(authorization: str = Header(), db: Session = Depends(session)) -> str:
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).hexdigest()
    token = db.get(Token, digest)
    if token is None:
        raise HTTPException(401)
    return token.user


app = FastAPI()


@app.get("/api/v1/skills/{skill_id}", response_model=SkillDetailView)
async def read(skill_id: str, user: str = Depends(caller), db: Session = Depends(session)):
    skill = db.get(Skill, skill_id)
    if skill is None:
        raise HTTPException(404)
    return SkillDetailView.model_validate(skill, from_attributes=True)


@app.get("/api/v1/skills", response_model=PageView)
async def read_list(limit: int = 50, user: str = Depends(caller), db: Session = Depends(session)):
    skills = db.scalars(select(Skill).order_by(Skill.name).limit(limit)).all()
    items = [SkillView.model_validate(skill, from_attributes=True) for skill in skills]
    return PageView(items=items, next_cursor=None)


if __name__ == "__main__":
    seed()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    (folder / "ready").write_text("127.0.0.1:%d\n" % listener.getsockname()[1])
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])
