;; The scan over the codes of all vectors of a book: finds rows that differ from the question's code in at most `most` bits, 128
;; bits at a time. Its twin in plain JavaScript, in vector-kernel.ts, is its test oracle: both write the same bytes.
;; A row is `width` bytes, a multiple of 16. `layout` there describes the memory.
;; After a change: node scripts/build-kernel.mjs writes near-module.ts.
(module
  (memory (export "memory") 5)
  (func (export "near")
    (param $query i32)
    (param $at i32)
    (param $row i32)
    (param $count i32)
    (param $width i32)
    (param $mask i32)
    (param $out i32)
    (param $limit i32)
    (param $most i32)
    (result i32)
    (local $q i32)
    (local $stop i32)
    (local $far i64)
    block $all
      loop $rows ;; one row
        local.get $row
        local.get $count
        i32.ge_u
        br_if $all
        local.get $at
        local.get $width
        i32.add
        local.set $stop
        i64.const 0
        local.set $far
        local.get $query
        local.set $q
        loop $words ;; 128 bits: count those that differ
          local.get $far
          local.get $at
          i64.load align=1
          local.get $q
          i64.load align=1
          i64.xor
          i64.popcnt
          i64.add
          local.get $at
          i64.load offset=8 align=1
          local.get $q
          i64.load offset=8 align=1
          i64.xor
          i64.popcnt
          i64.add
          local.set $far
          local.get $q
          i32.const 16
          i32.add
          local.set $q
          local.get $at
          i32.const 16
          i32.add
          local.tee $at
          local.get $stop
          i32.lt_u
          br_if $words
        end
        block $row_done
          local.get $far
          i32.wrap_i64
          local.get $most
          i32.gt_u
          br_if $row_done
          local.get $mask
          if ;; the bit of this row
            local.get $mask
            local.get $row
            i32.const 3
            i32.shr_u
            i32.add
            i32.load8_u align=1
            local.get $row
            i32.const 7
            i32.and
            i32.shr_u
            i32.const 1
            i32.and
            i32.eqz
            br_if $row_done
          end
          local.get $out
          local.get $row
          i32.store align=1
          local.get $out
          local.get $far
          i32.wrap_i64
          i32.store offset=4 align=1
          local.get $out
          i32.const 8
          i32.add
          local.tee $out
          local.get $limit
          i32.eq
          if ;; full: the caller reads the hits and continues from the next row
            local.get $row
            i32.const 1
            i32.add
            local.set $row
            br $all
          end
        end
        local.get $row
        i32.const 1
        i32.add
        local.set $row
        br $rows
      end
    end
    i32.const 0
    local.get $row
    i32.store align=1
    local.get $out
  )
)
